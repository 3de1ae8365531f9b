import { LockOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { useState } from "react";
import { attendance } from "#shared/api/attendance.ts";
import { useTexts } from "#shared/language/language.ts";
import { LockDrawer } from "#console/pages/attendance/lock/lock-drawers.tsx";
import { texts } from "#console/pages/attendance/lock/texts.ts";
import { useMay } from "#console/session/session.ts";

/** Locks a finished month. */
export function LockButton({ month }: { readonly month: string }) {
  const t = useTexts(texts);
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
