import { useQueries } from "@tanstack/react-query";
import { CheckCircleOutlined, RightOutlined } from "@ant-design/icons";
import { Skeleton } from "antd";
import { Link } from "react-router";
import { formatCount } from "#console/blocks/format.ts";
import { formatInstant } from "#shared/instant.ts";
import { everyMs } from "#console/blocks/stat-card.tsx";
import { toQuery } from "#console/call/use-call.ts";
import { useTexts } from "#console/pages/home/texts.ts";
import { waiting } from "#console/pages/home/waiting.ts";
import { sections } from "#console/sections.ts";
import { may, useSession } from "#console/session/session.ts";
import type { Waiting } from "#console/shell/waiting.ts";
import { useLanguage } from "#shared/language/language.ts";

/**
 * Lists what waits for the account in all services, longest wait first; each entry links to the page where it is
 * handled.
 */
export function WaitingList() {
  const t = useTexts();
  const { lines, isLoading, isWhole } = useWaiting();
  const total = lines.reduce((sum, { count }) => sum + count, 0);
  if (!isLoading && !isWhole && total === 0) return null;
  return (
    <section className="q-card q-waiting" aria-labelledby="home-waiting">
      <h2 id="home-waiting">
        {t.waiting}
        {total > 0 && <small className="q-soft">{t.total(formatCount(total))}</small>}
      </h2>
      <ul>
        {lines.map((line) => (
          <li key={line.to}>
            <Line line={line} />
          </li>
        ))}
      </ul>
      {isLoading ? (
        <Skeleton active title={false} paragraph={{ rows: 2 }} />
      ) : (
        total === 0 && (
          <p className="q-soft">
            <CheckCircleOutlined aria-hidden /> {t.done}
          </p>
        )
      )}
    </section>
  );
}

function Line({ line: { service, what, count, first, about, since, to } }: { readonly line: LineOfService }) {
  const t = useTexts();
  const [language] = useLanguage();
  const age = since ? toAge(since) : undefined;
  return (
    <Link to={to}>
      {sections.find((section) => section.service === service)?.icon}
      <span className="q-waiting-what">
        <strong>{what[language]}</strong>
        <span className="q-soft q-waiting-about">{first === undefined ? about : t.first(first)}</span>
      </span>
      <span className="q-figures q-waiting-count">{formatCount(count)}</span>
      <span className="q-soft q-figures q-waiting-age" title={since ?? undefined}>
        {age && t.ages[age.unit](age.count)}
      </span>
      <RightOutlined aria-hidden />
    </Link>
  );
}

interface LineOfService extends Waiting {
  readonly service: string;
}

function useWaiting() {
  const session = useSession();
  const asked = waiting.filter(
    ({ operation: { service }, needs }) =>
      sections.some((section) => section.service === service) && needs.every((need) => may(session, need)),
  );
  const reads = useQueries({
    queries: asked.map(({ operation, given }) => ({
      ...toQuery(operation, given()),
      refetchInterval: everyMs,
    })),
  });
  const lines = asked.flatMap(({ operation: { service }, tell }, index) => {
    const data = reads[index]?.data;
    return session && data !== undefined
      ? tell(data as never, session).map((line): LineOfService => ({ ...line, service }))
      : [];
  });
  return {
    lines: lines.toSorted((one, other) => (one.since ?? "9").localeCompare(other.since ?? "9")),
    isLoading: reads.some(({ isPending }) => isPending),
    isWhole: asked.length > 0 && reads.every(({ isSuccess }) => isSuccess),
  };
}

const minuteMs = 60_000;

/** Both times are in the platform's zone, so the difference is right in any zone of the browser. */
function toAge(since: string): { readonly unit: "minutes" | "hours" | "days"; readonly count: number } {
  const minutes = Math.max(0, Math.floor((toMs(formatInstant(Date.now())) - toMs(since)) / minuteMs));
  if (minutes < 60) return { unit: "minutes", count: minutes };
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? { unit: "hours", count: hours } : { unit: "days", count: Math.floor(hours / 24) };
}

const toMs = (local: string): number => Date.parse(`${local.replace(" ", "T")}Z`);
