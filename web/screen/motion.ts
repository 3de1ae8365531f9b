export const isStill =
  new URLSearchParams(window.location.search).get("still") === "1" ||
  window.matchMedia("(prefers-reduced-motion: reduce)").matches;
