import { useSyncExternalStore } from "react";

export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (tell) => {
      const media = window.matchMedia(query);
      media.addEventListener("change", tell);
      return () => media.removeEventListener("change", tell);
    },
    () => window.matchMedia(query).matches,
  );
}

// The style sheets repeat these two breakpoints.
export const useIsPhone = (): boolean => useMedia("(width < 600px)");
export const useIsCompact = (): boolean => useMedia("(width < 900px)");
