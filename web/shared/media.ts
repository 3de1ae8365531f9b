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

// The console's two layout breakpoints, which the style sheets repeat.
export const useIsPhone = (): boolean => useMedia("(width < 600px)");
/** A phone or a portrait tablet: the menu overlays the page. */
export const useIsCompact = (): boolean => useMedia("(width < 900px)");
