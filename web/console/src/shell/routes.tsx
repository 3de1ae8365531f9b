import type { ComponentType } from "react";
import { PageTitle } from "#console/shell/page-title.tsx";
import { type RouteObject, useRouteError } from "react-router";
import { CodeFailure, loadCode } from "#console/call/code.ts";
import { useLanguage } from "#shared/language/language.ts";
import { mayOpen, useSession } from "#console/session/session.ts";
import { signOnPath } from "#console/session/sign-on.ts";
import { NothingToFollow } from "#console/session/sign-in-page.tsx";
import { pages } from "#console/pages.ts";
import { sections } from "#console/sections.ts";
import type { Page } from "#console/shell/section.ts";
import { Shell } from "#console/shell/shell.tsx";
import { Alert, Button } from "antd";
import { late, MissingCode } from "#console/blocks/late.tsx";
import { useTexts } from "#console/shell/texts.ts";

const loadHome = async () => {
  for (const { loadFigures } of sections) void loadFigures?.().catch(() => undefined);
  return (await import("#console/pages/home/home-page.tsx")).HomePage;
};

const loadSecurity = async () => (await import("#console/session/second-factor/security-page.tsx")).SecurityPage;

const loadDeadEnds = () => import("#console/shell/dead-ends.tsx");

const ForbiddenPage = late(
  async () => (await loadDeadEnds()).ForbiddenPage,
  () => null,
);

export const routes: RouteObject[] = [
  {
    path: "/",
    Component: Shell,
    ErrorBoundary: BrokenPage,
    HydrateFallback: () => null,
    children: [
      {
        // The boundary is at the parent route, since the router renders nothing for a route whose own module failed.
        ErrorBoundary: BrokenPage,
        children: [
          { index: true, lazy: async () => ({ Component: await loadCode(loadHome) }) },
          ...sections.flatMap(({ service }) =>
            (pages[service] ?? []).map((page) => toRoute(`${service}/${page.path}`, page)),
          ),
          { path: signOnPath, Component: NothingToFollow },
          { path: "security", lazy: async () => ({ Component: await loadCode(loadSecurity) }) },
          { path: "*", lazy: async () => ({ Component: (await loadCode(loadDeadEnds)).NotFoundPage }) },
        ],
      },
    ],
  },
];

function toRoute(path: string, page: Page): RouteObject {
  return {
    path,
    lazy: async () => ({ Component: guard(page, await loadCode(page.load)) }),
  };
}

function guard({ title, needs }: Page, Content: ComponentType): ComponentType {
  return function Guarded() {
    const session = useSession();
    const [language] = useLanguage();
    return (
      <>
        <PageTitle>{title[language]}</PageTitle>
        {mayOpen(session, needs) ? <Content /> : <ForbiddenPage />}
      </>
    );
  };
}

function BrokenPage() {
  const t = useTexts();
  const error = useRouteError();
  if (error instanceof CodeFailure) return <MissingCode failure={error} isPage />;
  console.error(error);
  return (
    <Alert
      type="error"
      showIcon
      title={t.broken}
      description={t.brokenAbout}
      action={
        <Button type="primary" onClick={() => location.reload()}>
          {t.reload}
        </Button>
      }
    />
  );
}
