import { type ReactNode, useState } from "react";
import { Failed } from "#public/blocks/states.tsx";
import { useTexts } from "#public/blocks/texts.ts";
import { CallFailure } from "#shared/call/failure.ts";
import { useReading } from "#shared/call/use-reading.ts";

interface Wish {
  readonly told: boolean;
}

interface NoticeWishProps {
  readonly read: (signal: AbortSignal) => Promise<Wish>;
  readonly change: (wish: Wish) => Promise<unknown>;
}

const nobody = "10005";

export function NoticeWish({ read, change }: NoticeWishProps): ReactNode {
  const t = useTexts();
  const { data, failure, retry } = useReading("notice-wish", read);
  const [fault, setFault] = useState<Error>();
  const [busy, setBusy] = useState(false);
  const choose = async (told: boolean) => {
    setBusy(true);
    setFault(undefined);
    await change({ told }).then(retry, setFault);
    setBusy(false);
  };
  if (failure instanceof CallFailure && failure.code === nobody) return null;
  if (failure) return <Failed failure={failure} retry={retry} />;
  if (!data) return null;
  return (
    <div className="stack">
      <label className="notice-wish">
        <input
          type="checkbox"
          checked={data.told}
          disabled={busy}
          onChange={({ currentTarget }) => void choose(currentTarget.checked)}
        />
        {t.tellMe}
      </label>
      {fault && <Failed failure={fault} />}
    </div>
  );
}
