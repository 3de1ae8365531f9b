import { useEffect, useState } from "react";
import { Field } from "#public/blocks/field.tsx";
import { useTexts } from "#public/blocks/sign-in-texts.ts";
import { useTexts as useCommonTexts } from "#public/blocks/texts.ts";
import type { Guest, Guests, Standing } from "#public/blocks/guest.ts";
import { Notice } from "#public/blocks/notice.tsx";
import { CallFailure } from "#shared/call/failure.ts";
import { openKept } from "#public/blocks/kept.ts";

export interface NumberTexts {
  readonly number: string;
  readonly numberHelp: string;
  readonly numberWrong: string;
  readonly demoAbout: string;
  readonly endedAbout: string;
  readonly outsiderAbout: string;
  readonly notServed: string;
  readonly notServedAbout: string;
}

interface SignInProps {
  readonly guests: Guests;
  readonly says: NumberTexts;
  readonly entrance: string;
  readonly exchange: (code: string) => Promise<Guest>;
}

export function SignIn({ standing, ...props }: SignInProps & { readonly standing: Standing }) {
  const t = useTexts();
  return (
    <>
      {standing === "ended" && (
        <Notice tone="warn" title={t.ended}>
          <p>{props.says.endedAbout}</p>
        </Notice>
      )}
      <Way standing={standing} {...props} />
    </>
  );
}

function Way({ standing, ...props }: SignInProps & { readonly standing: Standing }) {
  const t = useTexts();
  const common = useCommonTexts();
  const { guests, says } = props;
  if (guests.identity === "demo") return <DemoSignIn {...props} />;
  if (guests.identity === "campus") return <CampusSignIn isFirst={standing === "out"} {...props} />;
  if (guests.identity === null)
    return (
      <Notice tone="warn" title={says.notServed}>
        <p>{says.notServedAbout}</p>
      </Notice>
    );
  return (
    <>
      <Notice tone="warn" title={t.outsider}>
        <p>{says.outsiderAbout}</p>
      </Notice>
      <button type="button" className="button" onClick={guests.tryAgain}>
        {common.retry}
      </button>
    </>
  );
}

const numberPattern = /^[\x21-\x2b\x2d-\x7e]{1,64}$/;

function DemoSignIn({ guests, says }: SignInProps) {
  const t = useTexts();
  const [text, setText] = useState("");
  const [isWrong, setIsWrong] = useState(false);
  return (
    <>
      <Notice title={t.demo}>{says.demoAbout}</Notice>
      <form
        className="card stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          const number = text.trim();
          if (numberPattern.test(number)) guests.enter({ number });
          else setIsWrong(true);
        }}
      >
        <Field needed label={says.number} hint={says.numberHelp} error={isWrong ? says.numberWrong : undefined}>
          {(control) => (
            <input
              {...control}
              value={text}
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          )}
        </Field>
        <button type="submit" className="button" data-kind="main" data-wide="">
          {t.signIn}
        </button>
      </form>
    </>
  );
}

/** The state kept during the redirect to the campus platform: an anti-forgery secret and the path to return to. */
interface Errand {
  readonly state: string;
  readonly path: string;
}

const openErrand = ({ page }: Guests) => openKept<Errand>(`${page}.errand`);

function depart(guests: Guests): void {
  const { signIn } = guests;
  if (signIn === null) return;
  const state = crypto.getRandomValues(new Uint32Array(4)).join("-");
  openErrand(guests).set({ state, path: location.pathname });
  const page = matchMedia("(pointer: fine)").matches ? signIn.desk : signIn.phone;
  location.assign(`${page}&state=${state}`);
}

function takeReturn(guests: Guests): { readonly code: string; readonly path: string } | undefined {
  const query = new URLSearchParams(location.search);
  const kept = openErrand(guests);
  const errand = kept.get();
  kept.forget();
  // The check prevents login CSRF: a link with the sender's code would sign the reader in as the sender.
  if (errand === undefined || query.get("state") !== errand.state) return undefined;
  return { code: query.get("wxcode") ?? "", path: errand.path };
}

const hasCode = new URLSearchParams(location.search).has("wxcode");

/** @param isFirst true before the tab's first sign-in; later sign-ins wait for the user's tap */
function CampusSignIn({ isFirst, guests, entrance, exchange }: SignInProps & { readonly isFirst: boolean }) {
  const t = useTexts();
  const [failure, setFailure] = useState<CallFailure>();
  // A tab without storage would redirect for ever, so the page waits for a tap when a code fails the state check.
  const [returned] = useState(() => (isFirst ? takeReturn(guests) : undefined));
  const goesByItself = isFirst && (returned !== undefined || !hasCode);
  useEffect(() => {
    if (!goesByItself) return;
    if (returned === undefined) return depart(guests);
    history.replaceState(null, "", returned.path.startsWith(entrance) ? returned.path : entrance);
    exchange(returned.code).then(guests.enter, (error: unknown) => {
      if (!(error instanceof CallFailure)) throw error;
      setFailure(error);
    });
  }, [goesByItself, returned, guests, entrance, exchange]);
  if (guests.signIn === null)
    return (
      <Notice title={t.outsider}>
        <p>{t.campusMiniProgram}</p>
      </Notice>
    );
  return (
    <>
      {failure && (
        <Notice tone="bad" title={t.campusFailed}>
          <p>{failure.message}</p>
        </Notice>
      )}
      {goesByItself && !failure && <p role="status">{t.campusGoing}</p>}
      <button type="button" className="button" data-kind="main" data-wide="" onClick={() => depart(guests)}>
        {isFirst && !failure ? t.campusGo : t.signInAgain}
      </button>
    </>
  );
}
