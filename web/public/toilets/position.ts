import { useCallback, useEffect, useState } from "react";
import type { Position } from "#platform/contract/datum.ts";

/** Where somebody is, as far as the browser tells. */
export type Whereabouts =
  | { readonly state: "unasked" | "asking" | "denied" | "unavailable" | "late" | "insecure" }
  /** Against WGS 84, and how wrong it may be. */
  | { readonly state: "known"; readonly at: Position; readonly accuracyMetres: number };

const mostWaitMs = 15_000;
/** A position that old is where somebody still is. */
const oldestMs = 30_000;

/**
 * Where the browser is, and how to ask. It asks by itself only where that has been allowed before: a question that
 * nobody has called for is one that people refuse.
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

/** By the numbers of GeolocationPositionError. */
function tellRefusal(code: number): "denied" | "unavailable" | "late" {
  if (code === 1) return "denied";
  return code === 3 ? "late" : "unavailable";
}

async function isAllowed(): Promise<boolean> {
  try {
    return (await navigator.permissions.query({ name: "geolocation" })).state === "granted";
  } catch {
    // A browser that does not tell is asked by the button.
    return false;
  }
}
