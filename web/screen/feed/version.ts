/** The scripts of a page, by which a build is known: their names have the hash of what is in them. */
export const listScripts = (page: Document): string[] =>
  [...page.querySelectorAll<HTMLScriptElement>("script[src]")].map((script) => script.getAttribute("src") ?? "");

/** A wall runs for weeks, and servers are renewed meanwhile: when the page has another script by now, it is loaded. */
export async function reloadWhenNewer(): Promise<void> {
  try {
    const answer = await fetch(window.location.pathname, { cache: "no-store" });
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const [here, there] = [listScripts(document), listScripts(page)];
    if (there.some((script) => !here.includes(script))) window.location.reload();
  } catch {
    // The line is gone again: there will be another time.
  }
}
