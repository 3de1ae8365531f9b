import { LockOutlined, UnlockOutlined } from "@ant-design/icons";
import { Alert, Button } from "antd";
import { useState } from "react";
import { attendance } from "#shared/api/attendance.ts";
import { useTexts } from "#shared/language/language.ts";
import { UnlockDrawer } from "#console/pages/attendance/lock/lock-drawers.tsx";
import { texts } from "#console/pages/attendance/lock/texts.ts";
import type { Month } from "#console/pages/attendance/records.ts";
import { useMay } from "#console/session/session.ts";

/** Over a locked month: by whom, why, what it forbids, and the way out. */
export function LockBanner({ month: { month, locked } }: { readonly month: Month }) {
  const t = useTexts(texts);
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
