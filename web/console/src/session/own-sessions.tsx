import { DesktopOutlined } from "@ant-design/icons";
import { Button, Card, Skeleton, Typography } from "antd";
import { Failure } from "#console/blocks/failure.tsx";
import { useConfirm } from "#console/blocks/use-confirm.ts";
import { useChange, useRead } from "#console/call/use-call.ts";
import { useTexts } from "#console/session/texts.ts";
import { platform } from "#shared/api/platform.ts";
import type { DataOf } from "#shared/call/operation.ts";

type OwnSession = DataOf<typeof platform.listOwnSessions>[number];

export function OwnSessions() {
  const t = useTexts();
  const { data, error, refetch } = useRead(platform.listOwnSessions, {});
  const confirm = useConfirm();
  const end = useChange(platform.deleteOwnSessions, { done: t.sessionsEnded });
  const others = data?.filter(({ current }) => !current) ?? [];
  const ask = (sessions: readonly OwnSession[]) =>
    confirm({
      title: sessions.length === 1 ? t.endSessionTitle : t.endSessionsTitle(sessions.length),
      about: t.endSessionAbout,
      verb: t.endSession,
      needs: platform.deleteOwnSessions,
      work: () => end.mutateAsync({ body: sessions.map(({ id }) => id) }),
    });
  const endAll = others.length > 1 && (
    <Button danger onClick={() => ask(others)}>
      {t.endOthers}
    </Button>
  );
  return (
    <Card title={t.ownSessions} extra={endAll}>
      {error && <Failure failure={error} onRetry={refetch} />}
      {!data && !error && <Skeleton active />}
      <ul className="q-second-factors">
        {data?.map((session) => (
          <OneSession key={session.id} session={session} onEnd={() => ask([session])} />
        ))}
      </ul>
    </Card>
  );
}

function OneSession({ session, onEnd }: { readonly session: OwnSession; readonly onEnd: () => void }) {
  const t = useTexts();
  const { current, address, userAgent, createTime, lastUseTime } = session;
  const browser = nameBrowser(userAgent) || t.noBrowser;
  return (
    <li>
      <DesktopOutlined aria-hidden />
      <div className="q-second-factor">
        <Typography.Text strong>{browser}</Typography.Text>
        {current && <Typography.Text type="secondary">{` · ${t.thisSession}`}</Typography.Text>}
        <div className="q-soft q-facts">
          <span>{address}</span>
          <span>{t.signedInAt(createTime)}</span>
          <span>{t.lastUsedAt(lastUseTime)}</span>
        </div>
      </div>
      {!current && (
        <Button danger type="text" aria-label={t.endNamed(browser, address)} onClick={onEnd}>
          {t.endSession}
        </Button>
      )}
    </li>
  );
}

const browsers = [
  ["Edg", "Edge"],
  ["OPR", "Opera"],
  ["Firefox", "Firefox"],
  ["Chrome", "Chrome"],
  ["Safari", "Safari"],
] as const;
const systems = [
  ["Windows", "Windows"],
  ["Android", "Android"],
  ["iPhone", "iOS"],
  ["Mac OS", "macOS"],
  ["Linux", "Linux"],
] as const;

export function nameBrowser(userAgent: string): string {
  const browser = browsers.find(([sign]) => userAgent.includes(`${sign}/`))?.[1];
  const system = systems.find(([sign]) => userAgent.includes(sign))?.[1];
  return browser ? [browser, system].filter((part) => part !== undefined).join(" · ") : userAgent;
}
