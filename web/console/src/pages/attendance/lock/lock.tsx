import { LockOutlined, UnlockOutlined } from "@ant-design/icons";
import { Alert, Button, Tag } from "antd";
import { useLockTexts as useTexts } from "#console/pages/attendance/texts.ts";
import { type Month, useUnmatched } from "#console/pages/attendance/records.ts";
import { DifferencesBeforeLock } from "#console/pages/attendance/problems/difference-table.tsx";
import { useState } from "react";
import { Link } from "react-router";
import { attendance } from "#shared/api/attendance.ts";
import { useMay } from "#console/session/session.ts";
import { FormDrawer } from "#console/blocks/form-drawer.tsx";
import { formatCount } from "#console/blocks/format.ts";
import { useChange, useRead } from "#console/call/use-call.ts";

export function LockTag({ month: { locked } }: { readonly month: Pick<Month, "locked"> }) {
  const t = useTexts();
  return (
    locked && (
      <Tag icon={<LockOutlined aria-hidden />} className="q-attendance-lock-tag">
        {t.lockedAt(locked.number)}
      </Tag>
    )
  );
}

export function LockBanner({ month: { month, locked } }: { readonly month: Month }) {
  const t = useTexts();
  const may = useMay();
  const [isUnlocking, setUnlocking] = useState(false);
  if (!locked) return null;
  const { number, note, lockedBy, lockTime } = locked;
  return (
    <>
      <Alert
        type="info"
        showIcon
        icon={<LockOutlined />}
        className="q-attendance-lock"
        title={t.bannerTitle(month, number)}
        description={
          <>
            <div className="q-attendance-lock-who">
              <span className="q-figures">{t.lockedBy(lockedBy, lockTime.slice(0, 16))}</span>
              {note !== "" && <span>{t.noteIs(note)}</span>}
            </div>
            <div className="q-soft">{t.forbids}</div>
          </>
        }
        action={
          may(attendance.unlock) && (
            <Button icon={<UnlockOutlined aria-hidden />} onClick={() => setUnlocking(true)}>
              {t.unlock}
            </Button>
          )
        }
      />
      {isUnlocking && <UnlockDrawer month={month} onClose={() => setUnlocking(false)} />}
    </>
  );
}

export function LockButton({ month }: { readonly month: string }) {
  const t = useTexts();
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  if (!may(attendance.lock)) return null;
  return (
    <>
      <Button icon={<LockOutlined aria-hidden />} onClick={() => setOpen(true)}>
        {t.lock}
      </Button>
      {isOpen && <LockDrawer month={month} onClose={() => setOpen(false)} />}
    </>
  );
}

interface LockDrawerProps {
  readonly month: string;
  readonly onClose: () => void;
}

const mostCharacters = 255;

function LockDrawer({ month, onClose }: LockDrawerProps) {
  const t = useTexts();
  const lock = useChange(attendance.lock, { done: t.lockDone(month), quiet: true });
  return (
    <FormDrawer<{ note?: string }>
      title={t.lockTitle(month)}
      width={560}
      needs={attendance.lock}
      saveText={t.lock}
      fields={[{ kind: "multiline", name: "note", label: t.note, max: mostCharacters, placeholder: t.notePlaceholder }]}
      onSave={({ note = "" }) => lock.mutateAsync({ body: { month, note } })}
      onClose={onClose}
    >
      <p className="q-soft">{t.lockAbout}</p>
      <MattersBeforeLock month={month} onFollow={onClose} />
      <DifferencesBeforeLock month={month} onFollow={onClose} />
    </FormDrawer>
  );
}

/** A lock freezes the rows with their open issues, so the dialog lists the issues before the user confirms. */
function MattersBeforeLock({ month, onFollow }: { readonly month: string; readonly onFollow: () => void }) {
  const t = useTexts();
  const kinds = useOpenMatters(month).filter(({ count }) => count > 0);
  if (kinds.length === 0) return null;
  const sum = kinds.reduce((all, { count }) => all + count, 0);
  return (
    <Alert
      type="warning"
      showIcon
      className="q-form-failure"
      title={t.openMatters(formatCount(sum))}
      description={
        <ul className="q-attendance-matters">
          {kinds.map(({ kind, to, count }) => (
            <li key={kind}>
              <Link to={to} onClick={onFollow}>
                {t.matters[kind]} <b className="q-figures">{formatCount(count)}</b>
              </Link>
            </li>
          ))}
        </ul>
      }
    />
  );
}

function useOpenMatters(month: string) {
  const { people = [], results = [], addresses = [] } = useUnmatched({ month }).data ?? {};
  const query = { month, state: "open", pageSize: 1 } as const;
  const { data } = useRead(attendance.listObjections, { query });
  const problems = `/attendance/months/${month}?tab=problems`;
  return [
    { kind: "people", to: problems, count: people.filter(({ kind }) => kind !== "month").length },
    { kind: "results", to: problems, count: results.length },
    { kind: "addresses", to: problems, count: addresses.length },
    { kind: "objections", to: `/attendance/objections?month=${month}&only=${month}`, count: data?.totalCount ?? 0 },
  ] as const;
}

function UnlockDrawer({ month, onClose }: LockDrawerProps) {
  const t = useTexts();
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
