import {
  ApiOutlined,
  DownOutlined,
  HomeOutlined,
  KeyOutlined,
  LogoutOutlined,
  MenuFoldOutlined,
  MenuUnfoldOutlined,
  SafetyOutlined,
  SearchOutlined,
  UserOutlined,
} from "@ant-design/icons";
import { Alert, App, Button, Drawer, Dropdown, Layout, Menu, type MenuProps } from "antd";
import { Suspense, useEffect, useRef, useState } from "react";
import { Link, Outlet, useLocation, useNavigate, useNavigation } from "react-router";
import { useLanguage } from "#shared/language/language.ts";
import { useIsCompact } from "#shared/media.ts";
import { useRemembered } from "#shared/remembered.ts";
import { mayOpen, type Session, useSession } from "#console/session/session.ts";
import { News } from "#console/session/news.tsx";
import { StepUpModal } from "#console/session/second-factor/step-up-modal.tsx";
import { SignInModal } from "#console/session/sign-in-modal.tsx";
import { SigningOn, SignInPage } from "#console/session/sign-in-page.tsx";
import { signOnPath } from "#console/session/sign-on.ts";
import { Choices, Mark } from "#console/shell/choices.tsx";
import { useTexts } from "#console/shell/texts.ts";
import { pages } from "#console/pages.ts";
import { sections, useAccountNames } from "#console/sections.ts";
import { formatInstant } from "#shared/instant.ts";
import { late } from "#console/blocks/late.tsx";
import { currentLine, onLine, useLine } from "#shared/call/line.ts";
import { useInstitution } from "#shared/institution.ts";
import { place } from "#shared/place.ts";
import { signOut } from "#console/session/accounts.ts";

const OwnPassword = late(
  async () => (await import("#console/session/own-password.tsx")).OwnPassword,
  () => null,
);

const loadFinder = async () => (await import("#console/shell/finder/finder.tsx")).Finder;

const Finder = late(loadFinder, () => null);
const finderAfterMs = 1000;

export function Shell() {
  const t = useTexts();
  const session = useSession();
  const { state } = useNavigation();
  const { pathname, search } = useLocation();
  const isCompact = useIsCompact();
  const { name } = useInstitution();
  const [collapsed, setCollapsed] = useRemembered("menu-collapsed", false);
  const [isMenuOpen, setMenuOpen] = useState(false);
  if (pathname === signOnPath && search !== "") return <SigningOn query={search.slice(1)} />;
  if (!session) return <SignInPage />;
  const isFolded = isCompact ? !isMenuOpen : collapsed;
  return (
    <Layout className="q-shell">
      <a className="q-skip" href="#main">
        {t.skip}
      </a>
      <Layout.Header className="q-header">
        <Button
          type="text"
          icon={isFolded ? <MenuUnfoldOutlined aria-hidden /> : <MenuFoldOutlined aria-hidden />}
          aria-label={isFolded ? t.expand : t.collapse}
          aria-expanded={!isFolded}
          onClick={() => (isCompact ? setMenuOpen(true) : setCollapsed(!collapsed))}
        />
        <Link to="/" className="q-brand" aria-label={name || "Quintet"}>
          <Mark size={24} />
          <span className="q-roomy">{name || "Quintet"}</span>
        </Link>
        <div className="q-header-end">
          <FindButton session={session} />
          <Choices />
          <AccountMenu session={session} />
        </div>
      </Layout.Header>
      <LineBanner />
      <News session={session} />
      <Layout>
        {!isCompact && (
          <Layout.Sider width={216} collapsedWidth={52} collapsed={collapsed} className="q-sider" trigger={null}>
            <nav aria-label={t.menu}>
              <Navigation session={session} collapsed={collapsed} />
            </nav>
          </Layout.Sider>
        )}
        <Layout.Content id="main" className="q-content" tabIndex={-1} aria-busy={state === "loading"}>
          {state === "loading" && <div className="q-progress" role="progressbar" aria-label={t.loading} />}
          <Suspense>
            <Outlet />
          </Suspense>
        </Layout.Content>
      </Layout>
      {isCompact && isMenuOpen && <MenuDrawer session={session} onClose={() => setMenuOpen(false)} />}
      <StepUpModal />
      <SignInModal />
    </Layout>
  );
}

function FindButton({ session }: { readonly session: Session }) {
  const t = useTexts();
  const navigate = useNavigate();
  const [language, setLanguage] = useLanguage();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey)
        return;
      event.preventDefault();
      setOpen(true);
    };
    window.addEventListener("keydown", onKey);
    // The finder loads in advance, since the first letters typed after the shortcut would otherwise be lost; the page
    // itself loads first.
    const loading = setTimeout(() => void loadFinder().catch(() => undefined), finderAfterMs);
    return () => {
      clearTimeout(loading);
      window.removeEventListener("keydown", onKey);
    };
  }, []);
  const actions = [
    { label: t.home, run: () => void navigate("/") },
    { label: t.security, run: () => void navigate("/security") },
    { label: t.otherLanguageAbout, run: () => setLanguage(language === "zh" ? "en" : "zh") },
    { label: t.signOut, run: () => void signOut(session) },
  ];
  return (
    <>
      <Button
        type="text"
        icon={<SearchOutlined aria-hidden />}
        aria-label={t.find}
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => setOpen(true)}
      >
        <span className="q-roomy">
          {t.find}
          <kbd aria-hidden data-key={isMac ? "⌘K" : "Ctrl K"} />
        </span>
      </Button>
      {isOpen && <Finder actions={actions} onClose={() => setOpen(false)} />}
    </>
  );
}

const isMac = navigator.userAgent.includes("Mac");

function MenuDrawer({ session, onClose }: { readonly session: Session; readonly onClose: () => void }) {
  const t = useTexts();
  const { key } = useLocation();
  const { state } = useNavigation();
  const openedAt = useRef(key);
  useEffect(() => {
    if (state === "loading" || key !== openedAt.current) onClose();
  }, [state, key, onClose]);
  return (
    <Drawer open placement="left" size={264} title={t.menu} className="q-menu-drawer" onClose={onClose}>
      <nav aria-label={t.menu}>
        <Navigation session={session} collapsed={false} />
      </nav>
    </Drawer>
  );
}

function Navigation({ session, collapsed }: { readonly session: Session; readonly collapsed: boolean }) {
  const t = useTexts();
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
  const [open, setOpen] = useState<string[]>(shown.length <= 2 ? shown.map(({ service }) => service) : [current]);
  const [last, setLast] = useState(current);
  if (last !== current) {
    setLast(current);
    setOpen([...open, current]);
  }
  const items: MenuProps["items"] = [
    { key: "/", icon: <HomeOutlined aria-hidden />, label: <Link to="/">{t.home}</Link> },
    ...shown.map((section) => ({
      key: section.service,
      icon: section.icon,
      label: section.title[language],
      children: section.pages.map((page) => {
        const address = `/${section.service}/${page.path}`;
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
      // The link handles clicks itself; Enter on the menu item needs this handler.
      onClick={({ key, domEvent }) => domEvent.type === "keydown" && void navigate(key)}
    />
  );
}

function LineBanner() {
  const t = useTexts();
  const { isDown, sinceMs } = useLine();
  const { message } = App.useApp();
  useEffect(
    () =>
      onLine(() => {
        if (!currentLine().isDown) void message.success(t.lineBack);
      }),
    [message, t.lineBack],
  );
  return (
    <div role="status" className="q-line">
      {isDown && <Alert banner type="warning" role="none" title={t.lineDown(formatInstant(sinceMs).slice(11))} />}
    </div>
  );
}

function AccountMenu({ session }: { readonly session: Session }) {
  const t = useTexts();
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
