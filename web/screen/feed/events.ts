import type { Line } from "#screen/feed/feed.ts";

/**
 * Follows a stream of server-sent events until it ends, and tells the data of each. Every byte counts as heard, comments
 * too.
 * @throws when it cannot be opened or breaks off.
 */
export async function followEvents(
  address: string,
  { signal, opened, heard, changed }: Line,
  told: (data: string) => void,
): Promise<void> {
  const answer = await fetch(address, { headers: { accept: "text/event-stream" }, cache: "no-store", signal });
  if (!answer.ok || !answer.body) throw new Error(`changes cannot be followed: ${answer.status}`);
  heard();
  opened();
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    heard();
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (!line.startsWith("data:")) continue;
      told(line.slice("data:".length));
      changed();
    }
  }
}
