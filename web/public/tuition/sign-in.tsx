import { useState } from "react";
import { Field } from "#public/blocks/field.tsx";
import { texts as commonTexts } from "#public/blocks/texts.ts";
import { useTexts } from "#shared/language/language.ts";
import { CampusSignIn } from "./campus-sign-in.tsx";
import { Notice } from "./notice.tsx";
import { enter, identity, type Standing, tryAgain } from "./student.ts";
import { texts } from "./texts.ts";

/** What somebody sees who is not let in, or is so no longer. */
export function SignIn({ standing }: { readonly standing: Standing }) {
  const t = useTexts(texts);
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
  const t = useTexts(texts);
  const common = useTexts(commonTexts);
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
  const t = useTexts(texts);
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
