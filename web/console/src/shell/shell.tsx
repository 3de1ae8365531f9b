import { MenuFoldOutlined, MenuUnfoldOutlined } from "@ant-design/icons";
import { Button, Layout } from "antd";
import { Suspense, useState } from "react";
import { Link, Outlet, useLocation, useNavigation } from "react-router";
import { useTexts } from "#shared/language/language.ts";
import { useIsCompact } from "#shared/media.ts";
import { useRemembered } from "#shared/remembered.ts";
import { useSession } from "#console/session/session.ts";
import { StepUpModal } from "#console/session/second-factor/step-up-modal.tsx";
import { SignInModal } from "#console/session/sign-in-modal.tsx";
import { SignInPage } from "#console/session/sign-in-page.tsx";
import { signOnPath } from "#console/session/sign-on.ts";
import { SigningOn } from "#console/session/signing-on.tsx";
import { AccountMenu } from "#console/shell/account-menu.tsx";
import { Choices } from "#console/shell/choices.tsx";
import { LineBanner } from "#console/shell/line-banner.tsx";
import { Mark } from "#console/shell/mark.tsx";
import { MenuDrawer } from "#console/shell/menu-drawer.tsx";
import { Navigation } from "#console/shell/navigation.tsx";
import { texts } from "#console/shell/texts.ts";

/** Header, menu and the page of the address; the sign-in while nobody is signed in. */
export function Shell() {
  const t = useTexts(texts);
  const session = useSession();
  const { state } = useNavigation();
  const { pathname, search } = useLocation();
  const isCompact = useIsCompact();
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
        <Link to="/" className="q-brand" aria-label="Quintet">
          <Mark size={24} />
          <span className="q-roomy">Quintet</span>
        </Link>
        <div className="q-header-end">
          <Choices />
          <AccountMenu session={session} />
        </div>
      </Layout.Header>
      <LineBanner />
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
