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

// The two widths at which the console changes its shape; the style sheets have them too.
export const useIsPhone = (): boolean => useMedia("(width < 600px)");
/** A phone or a tablet held upright: the menu lies over the page. */
export const useIsCompact = (): boolean => useMedia("(width < 900px)");
