import { useEffect, useState } from "react";
import { Field } from "#public/blocks/field.tsx";
import { useTexts as useCommonTexts } from "#public/blocks/texts.ts";
import { Notice } from "#public/tuition/notice.tsx";
import { enter, identity, signIn, type Standing, tryAgain } from "#public/tuition/student.ts";
import { useTexts } from "#public/tuition/texts.ts";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { call } from "#shared/call/exchange.ts";
import { CallFailure } from "#shared/call/failure.ts";
import { openKept } from "#public/tuition/kept.ts";
import { paths } from "#public/tuition/route.tsx";

export function SignIn({ standing }: { readonly standing: Standing }) {
  const t = useTexts();
  return (
    <>
      {standing === "ended" && (
        <Notice tone="warn" title={t.ended}>
          <p>{t.endedAbout}</p>
        </Notice>
      )}
      <Way standing={standing} />
    </>
  );
}

function Way({ standing }: { readonly standing: Standing }) {
  const t = useTexts();
  const common = useCommonTexts();
  if (identity === "demo") return <DemoSignIn />;
  if (identity === "campus") return <CampusSignIn isFirst={standing === "out"} />;
  if (identity === null)
    return (
      <Notice tone="warn" title={t.notServed}>
        <p>{t.notServedAbout}</p>
      </Notice>
    );
  return (
    <>
      <Notice tone="warn" title={t.outsider}>
        <p>{t.outsiderAbout}</p>
      </Notice>
      <button type="button" className="button" onClick={tryAgain}>
        {common.retry}
      </button>
    </>
  );
}

// What the server takes for a card number.
const cardPattern = /^[\x21-\x2b\x2d-\x7e]{1,64}$/;

function DemoSignIn() {
  const t = useTexts();
  const [card, setCard] = useState("");
  const [isWrong, setIsWrong] = useState(false);
  return (
    <>
      <Notice title={t.demo}>{t.demoAbout}</Notice>
      <form
        className="card stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          const cardNumber = card.trim();
          if (cardPattern.test(cardNumber)) enter({ cardNumber });
          else setIsWrong(true);
        }}
      >
        <Field needed label={t.cardNumber} hint={t.cardHelp} error={isWrong ? t.cardWrong : undefined}>
          {(control) => (
            <input
              {...control}
              value={card}
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              onInput={(event) => setCard(event.currentTarget.value)}
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

// There and back: the campus platform returns with a `wxcode`, which the server exchanges once.

/** What waits for the return: a secret that nobody else can put into an address, and where the student was. */
interface Errand {
  readonly state: string;
  readonly path: string;
}

const kept = openKept<Errand>("errand");

function depart(): void {
  if (signIn === null) return;
  const state = crypto.getRandomValues(new Uint32Array(4)).join("-");
  kept.set({ state, path: location.pathname });
  const page = matchMedia("(pointer: fine)").matches ? signIn.desk : signIn.phone;
  location.assign(`${page}&state=${state}`);
}

/** The code that came back from an errand of this tab, and where that began. */
function takeReturn(): { readonly code: string; readonly path: string } | undefined {
  const query = new URLSearchParams(location.search);
  const errand = kept.get();
  kept.forget();
  // Whoever sends somebody a link with a code of their own would have them pay for another student.
  if (errand === undefined || query.get("state") !== errand.state) return undefined;
  return { code: query.get("wxcode") ?? "", path: errand.path };
}

const hasCode = new URLSearchParams(location.search).has("wxcode");

/** @param isFirst nobody has been signed in here before; who has been goes when they are ready */
function CampusSignIn({ isFirst }: { readonly isFirst: boolean }) {
  const t = useTexts();
  const [failure, setFailure] = useState<CallFailure>();
  // A tab that keeps nothing would go there and back for ever: with a code that is not its own it waits for a tap.
  const [returned] = useState(() => (isFirst ? takeReturn() : undefined));
  const goesByItself = isFirst && (returned !== undefined || !hasCode);
  useEffect(() => {
    if (!goesByItself) return;
    if (returned === undefined) return depart();
    exchange(returned).catch((error: unknown) => {
      if (!(error instanceof CallFailure)) throw error;
      setFailure(error);
    });
  }, [goesByItself, returned]);
  if (signIn === null)
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
      <button type="button" className="button" data-kind="main" data-wide="" onClick={depart}>
        {isFirst && !failure ? t.campusGo : t.signInAgain}
      </button>
    </>
  );
}

async function exchange({ code, path }: { readonly code: string; readonly path: string }): Promise<void> {
  history.replaceState(null, "", path.startsWith(paths.owed) ? path : paths.owed);
  const { cardNumber, token } = await call(tuitionPayment.loginStudent, { body: { code } });
  enter({ cardNumber, token });
}
