import { texts } from "#screen/texts.ts";
import { useTexts } from "#shared/language/language.ts";

interface UnreadProps {
  readonly failure: Error | undefined;
  /** What to say when it has failed. */
  readonly words: string;
  readonly onRetry: () => void;
}

/** What a card shows while there is nothing to show: it is on its way, or has failed and can be tried again. */
export function Unread({ failure, words, onRetry }: UnreadProps) {
  const t = useTexts(texts);
  if (!failure) return <p role="status">{t.waiting}</p>;
  return (
    <div role="alert" className="s-failed">
      <p>{words}</p>
      <button type="button" className="s-button" onClick={onRetry}>
        {t.retry}
      </button>
    </div>
  );
}
