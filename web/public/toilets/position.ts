import { useCallback, useEffect, useState } from "react";
import type { Position } from "#platform/contract/datum.ts";

export type Whereabouts =
  | { readonly state: "unasked" | "asking" | "denied" | "unavailable" | "late" | "insecure" }
  | { readonly state: "known"; readonly at: Position; readonly accuracyMetres: number };

const mostWaitMs = 15_000;
const oldestMs = 30_000;

/**
 * The position is requested without a tap only if permission was already granted, since users deny an unexpected
 * prompt.
 */
export function usePosition(): readonly [Whereabouts, () => void] {
  const [whereabouts, setWhereabouts] = useState<Whereabouts>({ state: "unasked" });
  const locate = useCallback(() => {
    if (!window.isSecureContext) return setWhereabouts({ state: "insecure" });
    if (!("geolocation" in navigator)) return setWhereabouts({ state: "unavailable" });
    setWhereabouts({ state: "asking" });
    navigator.geolocation.getCurrentPosition(
      ({ coords: { longitude, latitude, accuracy } }) =>
        setWhereabouts({ state: "known", at: [longitude, latitude], accuracyMetres: accuracy }),
      ({ code }) => setWhereabouts({ state: tellRefusal(code) }),
      { enableHighAccuracy: true, timeout: mostWaitMs, maximumAge: oldestMs },
    );
  }, []);
  useEffect(() => {
    void isAllowed().then((allowed) => allowed && locate());
  }, [locate]);
  return [whereabouts, locate];
}

function tellRefusal(code: number): "denied" | "unavailable" | "late" {
  if (code === 1) return "denied";
  return code === 3 ? "late" : "unavailable";
}

async function isAllowed(): Promise<boolean> {
  try {
    return (await navigator.permissions.query({ name: "geolocation" })).state === "granted";
  } catch {
    // Without the Permissions API, the user requests the position with the button.
    return false;
  }
}
