import { Alert } from "antd";
import { Link } from "react-router";
import { useRead } from "#console/call/use-call.ts";
import type { Session } from "#console/session/session.ts";
import { useTexts } from "#console/session/texts.ts";
import { platform } from "#shared/api/platform.ts";
import { useRemembered } from "#shared/remembered.ts";

/**
 * Tells the owner of the account about sign-ins from new places and about new factors. Each browser remembers which
 * news was dismissed, so that an intruder cannot dismiss it for the owner.
 */
export function News({ session }: { readonly session: Session }) {
  const t = useTexts();
  const { data } = useRead(platform.readOwnSession, {});
  const [seen, setSeen] = useRemembered(`news-${session.accountId}`, "");
  const news = data?.news.filter(({ time }) => time > seen) ?? [];
  const [latest] = news;
  if (!latest) return null;
  return (
    <Alert
      banner
      type="info"
      role="status"
      title={news.map(({ kind, what, time }) => (
        <div key={`${kind} ${what} ${time}`}>{kind === "place" ? t.newPlace(time, what) : t.newFactor(time, what)}</div>
      ))}
      description={
        <>
          <div>{t.notYou}</div>
          <div>
            <Link to="/security">{t.toSecurity}</Link>
          </div>
        </>
      }
      closable={{ onClose: () => setSeen(latest.time), "aria-label": t.closeNews }}
    />
  );
}
