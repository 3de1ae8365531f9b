import { HomeOutlined } from "@ant-design/icons";
import { Menu, type MenuProps } from "antd";
import { useState } from "react";
import { Link, useLocation, useNavigate } from "react-router";
import { useLanguage, useTexts } from "#shared/language/language.ts";
import { mayOpen, type Session } from "#console/session/session.ts";
import { pages } from "#console/pages.ts";
import { sections } from "#console/sections.ts";
import { texts } from "#console/shell/texts.ts";

interface NavigationProps {
  readonly session: Session;
  readonly collapsed: boolean;
}

/** The menu: what the one who is signed in may use. */
export function Navigation({ session, collapsed }: NavigationProps) {
  const t = useTexts(texts);
  const [language] = useLanguage();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const shown = sections
    .map((section) => ({
      ...section,
      pages: (pages[section.service] ?? []).filter((page) => !page.hidden && mayOpen(session, page.needs)),
    }))
    .filter(({ pages }) => pages.length > 0);
  const here = `/${pathname.split("/").slice(1, 3).join("/")}`;
  const current = here.split("/")[1] ?? "";
  const [open, setOpen] = useState<string[]>(shown.length <= 2 ? shown.map(({ path }) => path) : [current]);
  const [last, setLast] = useState(current);
  // A link may lead into a section that is folded.
  if (last !== current) {
    setLast(current);
    setOpen([...open, current]);
  }
  const items: MenuProps["items"] = [
    { key: "/", icon: <HomeOutlined aria-hidden />, label: <Link to="/">{t.home}</Link> },
    ...shown.map((section) => ({
      key: section.path,
      icon: section.icon,
      label: section.title[language],
      children: section.pages.map((page) => {
        const address = `/${section.path}/${page.path}`;
        return { key: address, label: <Link to={address}>{page.title[language]}</Link> };
      }),
    })),
  ];
  return (
    <Menu
      mode="inline"
      inlineIndent={16}
      items={items}
      selectedKeys={[here]}
      inlineCollapsed={collapsed}
      {...(!collapsed && { openKeys: open, onOpenChange: setOpen })}
      // A click is the link's own business; Enter on the item is not.
      onClick={({ key, domEvent }) => domEvent.type === "keydown" && void navigate(key)}
    />
  );
}
