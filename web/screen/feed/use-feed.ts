import { useEffect, useRef, useState } from "react";
import { diseaseCommand } from "#shared/api/disease-command.ts";
import { callWith } from "#shared/call/call.ts";
import { toCallAddress } from "#shared/call/exchange.ts";
import type { DataOf } from "#shared/call/operation.ts";
import { followEvents } from "#screen/feed/events.ts";
import { type Feed, type News, type Source, startFeed } from "#screen/feed/feed.ts";
import { keepUnchanged } from "#screen/feed/keep.ts";
import { reloadWhenNewer } from "#screen/feed/version.ts";

export type Overview = DataOf<typeof diseaseCommand.readOverview>;

export interface FeedState {
  /** What was read last. */
  readonly overview: Overview | undefined;
  readonly line: "opening" | "live" | "cut";
  /** When the line is cut: until when the overview was so, in epoch milliseconds. */
  readonly untilMs: number | undefined;
  /** How often the map may have become another one. */
  readonly mapTurn: number;
}

/** Whatever changes, all of the overview is read, in one statement; the map is not among it, and is much. */
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

/** The overview as it changes, and how the line is. `month` is the city's: with another one everything is read anew. */
export function useFeed(month: string): FeedState & { readonly retry: () => void } {
  const [state, setState] = useState<FeedState>(begin);
  const feed = useRef<Feed>(undefined);
  const readMonth = useRef(month);
  useEffect(() => {
    const source = openSource(() => setState((before) => ({ ...before, mapTurn: before.mapTurn + 1 })));
    const start = () => startFeed<Overview>(source, hear(setState));
    // A browser has six connections to a host; walls in tabs that nobody sees must not hold them.
    const follow = () => {
      feed.current?.stop();
      setState((before) => ({ ...before, line: "opening" }));
      feed.current = document.hidden ? undefined : start();
    };
    // A browser may know better than our patience. What is on the same machine is heard even so: it is tried.
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

/** Keeps what is told, and looks for a newer page when the line is back: the server may be another. */
function hear(keep: (change: (before: FeedState) => FeedState) => void): (news: News<Overview>) => void {
  let wasCut = false;
  return (news) => {
    keep((before) => toState(before, news));
    if (news.kind === "read" && wasCut) void reloadWhenNewer();
    wasCut = news.kind === "cut";
  };
}
