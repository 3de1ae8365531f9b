import { useEffect, useRef, useState } from "react";
import { diseaseCommand } from "#shared/api/disease-command.ts";
import { callWith, toCallAddress } from "#shared/call/exchange.ts";
import type { DataOf } from "#shared/call/operation.ts";
import { type Feed, keepUnchanged, type Line, type News, type Source, startFeed } from "#screen/feed/feed.ts";

export type Overview = DataOf<typeof diseaseCommand.readOverview>;

export interface FeedState {
  readonly overview: Overview | undefined;
  readonly line: "opening" | "live" | "cut";
  readonly untilMs: number | undefined;
  readonly mapTurn: number;
}

/** Each change causes another read of the whole overview. The map is large and read separately. */
const openSource = (mapMayChange: () => void): Source<Overview> => ({
  follow: (line) => {
    const opened = () => {
      line.opened();
      mapMayChange();
    };
    const told = (data: string) => data.includes(`"map"`) && mapMayChange();
    return followEvents(toCallAddress(diseaseCommand.followChanges), { ...line, opened }, told);
  },
  read: (signal) => callWith(diseaseCommand.readOverview, {}, { signal }),
});

const begin: FeedState = { overview: undefined, line: "opening", untilMs: undefined, mapTurn: 0 };

function toState(state: FeedState, news: News<Overview>): FeedState {
  if (news.kind === "cut") return { ...state, line: "cut", untilMs: news.untilMs };
  return { ...state, overview: keepUnchanged(state.overview, news.data), line: "live", untilMs: undefined };
}

/** @param month in the city's time zone; a new month causes another read */
export function useFeed(month: string): FeedState & { readonly retry: () => void } {
  const [state, setState] = useState<FeedState>(begin);
  const feed = useRef<Feed>(undefined);
  const readMonth = useRef(month);
  useEffect(() => {
    const source = openSource(() => setState((before) => ({ ...before, mapTurn: before.mapTurn + 1 })));
    const start = () => startFeed<Overview>(source, hear(setState));
    // Over HTTP/1.1 a browser opens at most six connections per host, so a hidden tab must hold none.
    const follow = () => {
      feed.current?.stop();
      setState((before) => ({ ...before, line: "opening" }));
      feed.current = document.hidden ? undefined : start();
    };
    // The browser may notice a network change before the heartbeat timeout. The event only triggers a retry, since a
    // server on the local network stays reachable while the browser is offline.
    const retry = () => feed.current?.retry();
    feed.current = document.hidden ? undefined : start();
    document.addEventListener("visibilitychange", follow);
    window.addEventListener("online", retry);
    window.addEventListener("offline", retry);
    return () => {
      document.removeEventListener("visibilitychange", follow);
      window.removeEventListener("online", retry);
      window.removeEventListener("offline", retry);
      feed.current?.stop();
    };
  }, []);
  useEffect(() => {
    if (readMonth.current !== month) feed.current?.refresh();
    readMonth.current = month;
  }, [month]);
  return { ...state, retry: () => feed.current?.retry() };
}

/** After a reconnect the page checks for a newer build, since the server may have been upgraded. */
function hear(keep: (change: (before: FeedState) => FeedState) => void): (news: News<Overview>) => void {
  let wasCut = false;
  return (news) => {
    keep((before) => toState(before, news));
    if (news.kind === "read" && wasCut) void reloadWhenNewer();
    wasCut = news.kind === "cut";
  };
}

/**
 * Every chunk of the stream, comments included, counts as a heartbeat. Resolves when the server ends the stream.
 * @throws {Error} if the stream cannot be opened or breaks off
 */
async function followEvents(
  address: string,
  { signal, opened, heard, changed }: Line,
  told: (data: string) => void,
): Promise<void> {
  const answer = await fetch(address, { headers: { accept: "text/event-stream" }, cache: "no-store", signal });
  if (!answer.ok || !answer.body) throw new Error(`the stream of changes could not be opened: status ${answer.status}`);
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

/** Script names contain content hashes and so identify a build. */
const listScripts = (page: Document): string[] =>
  [...page.querySelectorAll<HTMLScriptElement>("script[src]")].map((script) => script.getAttribute("src") ?? "");

/** The page stays open for weeks on a big screen, so it reloads itself once the server has a newer build. */
async function reloadWhenNewer(): Promise<void> {
  try {
    const answer = await fetch(window.location.pathname, { cache: "no-store" });
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const [here, there] = [listScripts(document), listScripts(page)];
    if (there.some((script) => !here.includes(script))) window.location.reload();
  } catch {
    // The connection is lost again; the next reconnect checks again.
  }
}
