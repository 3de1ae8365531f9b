import { useEffect, useState } from "react";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { call } from "#shared/call/call.ts";
import { CallFailure } from "#shared/call/failure.ts";
import { useTexts } from "#shared/language/language.ts";
import { openKept } from "./kept.ts";
import { Notice } from "./notice.tsx";
import { paths } from "./route.ts";
import { enter, signIn } from "./student.ts";
import { texts } from "./texts.ts";

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
export function CampusSignIn({ isFirst }: { readonly isFirst: boolean }) {
  const t = useTexts(texts);
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
