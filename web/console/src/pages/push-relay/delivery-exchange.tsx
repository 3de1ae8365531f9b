import { CopyButton } from "#console/blocks/copy-text.tsx";
import type { pushRelay } from "#shared/api/push-relay.ts";
import type { DataOf } from "#shared/call/operation.ts";
import { useTexts } from "#shared/language/language.ts";
import { toCurl } from "#console/pages/push-relay/curl.ts";
import { texts } from "#console/pages/push-relay/texts.ts";

type Exchanges = DataOf<typeof pushRelay.findExchanges>;
type Exchange = Exchanges["attempts"][number];

/** As much of a body as is shown, and as the server keeps of what came back. */
const mostShown = 16 * 1024;

/** What the attempt sent and what came back, folded until it is asked for. */
export function AttemptExchange({ exchange, sent }: { readonly exchange: Exchange; readonly sent: Exchanges }) {
  const t = useTexts(texts);
  const { url, headers, response } = exchange;
  const curl = toCurl({ method: sent.method, url, headers, body: sent.body });
  return (
    <details className="q-push-exchange">
      <summary>{t.exchange}</summary>
      <div className="q-push-exchange-head">
        <h4>{t.request}</h4>
        <CopyButton text={curl} label={t.copyCurl} />
      </div>
      <Source name={t.requestHeaders} text={`${sent.method} ${url}\n${toLines(headers)}`} />
      <Source name={t.requestBody} text={toShown(sent.body)} />
      {sent.body.length > mostShown && <p className="q-soft">{t.requestCut}</p>}
      <p className="q-soft">{t.maskedAbout}</p>
      <h4>{t.response}</h4>
      {response ? (
        <>
          <Source name={t.responseHeaders} text={toLines(response.headers)} />
          {response.body === "" ? <p className="q-soft">{t.responseEmpty}</p> : null}
          {response.body !== "" && <Source name={t.responseBody} text={toShown(response.body)} />}
          {response.cut && <p className="q-soft">{t.responseCut}</p>}
        </>
      ) : (
        <p className="q-soft">{t.noResponse}</p>
      )}
    </details>
  );
}

function Source({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    // It scrolls, so the keyboard must reach it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <pre className="q-push-source" aria-label={name} role="group" tabIndex={0}>
      {text}
    </pre>
  );
}

const toLines = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");

/** JSON with a line for each field, anything else as it came. */
function toShown(body: string): string {
  const shown = body.slice(0, mostShown);
  try {
    return shown === body ? JSON.stringify(JSON.parse(body), null, 2) : shown;
  } catch {
    return shown;
  }
}
