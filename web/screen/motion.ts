/** Whether nothing moves: `?still=1`, or a person who asked their device for less motion. */
export const isStill =
  new URLSearchParams(window.location.search).get("still") === "1" ||
  window.matchMedia("(prefers-reduced-motion: reduce)").matches;
