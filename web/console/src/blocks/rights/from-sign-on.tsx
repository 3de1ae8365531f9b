import { texts } from "#console/blocks/rights/texts.ts";
import { useTexts } from "#shared/language/language.ts";

interface Props {
  readonly userName: string;
  readonly fromSignOn?: true | undefined;
}

// Not a renderer of cells itself, which are called as functions: hooks would be as many as there are rows.

/** The user name of an account, and that the campus sign-on has made it, where it has. */
export function AccountName({ userName, fromSignOn }: Props) {
  const t = useTexts(texts);
  return (
    <>
      {userName}
      {fromSignOn && <div className="q-soft">{t.fromSignOn}</div>}
    </>
  );
}
