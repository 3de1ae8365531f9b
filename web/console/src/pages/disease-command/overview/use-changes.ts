import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { diseaseCommand } from "#shared/api/disease-command.ts";
import { toAddress } from "#shared/call/exchange.ts";
import type { DataOf } from "#shared/call/operation.ts";

export type Overview = DataOf<typeof diseaseCommand.readOverview>;
export type ModuleName = keyof Overview;

export interface Following {
  readonly live: boolean;
  readonly lost: boolean;
  readonly changed: Readonly<Partial<Record<ModuleName, number>>>;
}

// Changes that follow one another within this time, such as those of one transaction, cause only one read.
const togetherMs = 150;
const retryMs = 5000;

export function useChanges(): Following {
  const queries = useQueryClient();
  const [live, setLive] = useState(false);
  const [lost, setLost] = useState(false);
  const [changed, setChanged] = useState<Following["changed"]>({});
  useEffect(() => {
    let source: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let again: ReturnType<typeof setTimeout> | undefined;
    const read = () => void queries.invalidateQueries({ queryKey: [diseaseCommand.readOverview.service] });
    const close = () => {
      clearTimeout(again);
      source?.close();
      source = undefined;
    };
    const open = () => {
      close();
      source = new EventSource(toAddress(diseaseCommand.followChanges.url));
      // Changes before the stream opened were missed, so everything is read again.
      source.addEventListener("open", () => {
        setLive(true);
        read();
      });
      source.addEventListener("message", ({ data }: MessageEvent<string>) => {
        const { module } = JSON.parse(data) as { module: ModuleName };
        setChanged((last) => ({ ...last, [module]: Date.now() }));
        clearTimeout(timer);
        timer = setTimeout(read, togetherMs);
      });
      source.addEventListener("error", () => {
        setLive(false);
        setLost(true);
        // EventSource reconnects by itself unless it was refused.
        if (source?.readyState === EventSource.CLOSED) again = setTimeout(open, retryMs);
      });
    };
    // Over HTTP/1.1 a browser opens at most six connections per host, so a hidden tab must hold none.
    const follow = () => (document.hidden ? close() : open());
    follow();
    document.addEventListener("visibilitychange", follow);
    return () => {
      document.removeEventListener("visibilitychange", follow);
      clearTimeout(timer);
      close();
    };
  }, [queries]);
  return { live, lost, changed };
}

interface DayTested {
  readonly day: string;
  readonly tested: number;
  readonly abnormal: number;
}

export function sumByDay(rows: Overview["detectionStatistics"]): DayTested[] {
  const days = new Map<string, DayTested>();
  for (const { statisticsDate: day, detectionCount, abnormalCount } of rows) {
    const { tested = 0, abnormal = 0 } = days.get(day) ?? {};
    days.set(day, { day, tested: tested + detectionCount, abnormal: abnormal + abnormalCount });
  }
  return [...days.values()].toSorted((one, other) => one.day.localeCompare(other.day));
}

export const sumOf = <R>(rows: readonly R[], of: (row: R) => number): number =>
  rows.reduce((total, row) => total + of(row), 0);

export const formatMoney = (value: number): string => value.toLocaleString("en-GB", { maximumFractionDigits: 2 });
