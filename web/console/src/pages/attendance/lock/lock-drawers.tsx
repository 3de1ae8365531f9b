import { attendance } from "#shared/api/attendance.ts";
import { FormDrawer } from "#console/blocks/form-drawer.tsx";
import { useChange } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import { texts } from "#console/pages/attendance/lock/texts.ts";

interface LockDrawerProps {
  /** yyyy-MM */
  readonly month: string;
  readonly onClose: () => void;
}

const mostCharacters = 255;

/** Locks a month, with a note of what it is locked for. */
export function LockDrawer({ month, onClose }: LockDrawerProps) {
  const t = useTexts(texts);
  const lock = useChange(attendance.lock, { done: t.lockDone(month), quiet: true });
  return (
    <FormDrawer<{ note?: string }>
      title={t.lockTitle(month)}
      needs={attendance.lock}
      saveText={t.lock}
      fields={[{ kind: "multiline", name: "note", label: t.note, max: mostCharacters, placeholder: t.notePlaceholder }]}
      onSave={({ note = "" }) => lock.mutateAsync({ body: { month, note } })}
      onClose={onClose}
    >
      <p className="q-soft">{t.lockAbout}</p>
    </FormDrawer>
  );
}

/** Unlocks a month; the reason is kept with its version. */
export function UnlockDrawer({ month, onClose }: LockDrawerProps) {
  const t = useTexts(texts);
  const unlock = useChange(attendance.unlock, { done: t.unlockDone(month), quiet: true });
  return (
    <FormDrawer<{ reason: string }>
      title={t.unlockTitle(month)}
      needs={attendance.unlock}
      saveText={t.unlock}
      fields={[
        {
          kind: "multiline",
          name: "reason",
          label: t.reason,
          required: true,
          max: mostCharacters,
          placeholder: t.reasonPlaceholder,
        },
      ]}
      onSave={({ reason }) => unlock.mutateAsync({ body: { month, reason } })}
      onClose={onClose}
    >
      <p className="q-soft">{t.unlockAbout}</p>
    </FormDrawer>
  );
}
