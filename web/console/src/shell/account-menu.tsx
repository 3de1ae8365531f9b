import {
  ApiOutlined,
  DownOutlined,
  KeyOutlined,
  LogoutOutlined,
  SafetyOutlined,
  UserOutlined,
} from "@ant-design/icons";
import { Button, Dropdown } from "antd";
import { useState } from "react";
import { Link } from "react-router";
import { useTexts } from "#shared/language/language.ts";
import { place } from "#shared/place.ts";
import { useAccountNames } from "#console/sections.ts";
import { signOut } from "#console/session/accounts.ts";
import { OwnPassword } from "#console/session/own-password.tsx";
import type { Session } from "#console/session/session.ts";
import { texts } from "#console/shell/texts.ts";

/** Who is signed in, and what concerns them alone. */
export function AccountMenu({ session }: { readonly session: Session }) {
  const t = useTexts(texts);
  const nameAccount = useAccountNames();
  const [changing, setChanging] = useState(false);
  const name = session.name || session.userName;
  const items = [
    { key: "who", type: "group" as const, label: `${nameAccount(session.service)} · ${session.userName}` },
    { key: "password", icon: <KeyOutlined aria-hidden />, label: t.ownPassword, onClick: () => setChanging(true) },
    {
      key: "security",
      icon: <SafetyOutlined aria-hidden />,
      label: <Link to="/security">{t.security}</Link>,
    },
    {
      key: "reference",
      icon: <ApiOutlined aria-hidden />,
      label: (
        <a href={`${place.base}/docs`} target="_blank" rel="noreferrer">
          {t.reference}
        </a>
      ),
    },
    { key: "divider", type: "divider" as const },
    { key: "out", icon: <LogoutOutlined aria-hidden />, label: t.signOut, onClick: () => void signOut(session) },
  ];
  return (
    <>
      <Dropdown trigger={["click"]} menu={{ items }}>
        <Button type="text" icon={<UserOutlined aria-hidden />} aria-label={t.account(name)}>
          <span className="q-account-name q-roomy">{name}</span>
          <DownOutlined aria-hidden className="q-small-icon" />
        </Button>
      </Dropdown>
      {changing && <OwnPassword session={session} onClose={() => setChanging(false)} />}
    </>
  );
}
