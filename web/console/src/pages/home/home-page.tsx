import { Empty } from "antd";
import { PageTitle } from "#console/shell/page-title.tsx";
import { Failure } from "#console/blocks/failure.tsx";
import { late } from "#console/blocks/late.tsx";
import { PageHead } from "#console/blocks/page-head.tsx";
import { useScopeWords } from "#console/blocks/scope/scope-fields.tsx";
import { useTexts as useScopeTexts } from "#console/blocks/scope/texts.ts";
import { useFailedReads } from "#console/call/use-call.ts";
import { useLanguage } from "#shared/language/language.ts";
import { useTexts } from "#console/pages/home/texts.ts";
import { WaitingList } from "#console/pages/home/waiting-list.tsx";
import { sections } from "#console/sections.ts";
import { platform } from "#shared/api/platform.ts";
import { may, type Session, serves, useSession } from "#console/session/session.ts";

const figures = sections.flatMap(({ service, icon, title, loadFigures, figuresNeed }) =>
  loadFigures
    ? [{ service, icon, title, figuresNeed, Figures: late(loadFigures, () => <div className="q-stats" />) }]
    : [],
);

const Setup = late(
  async () => (await import("#console/pages/platform/setup/setup-page.tsx")).SetupGreeting,
  () => null,
);

export function HomePage() {
  const t = useTexts();
  const [language] = useLanguage();
  const session = useSession();
  const s = useScopeTexts();
  const sayScope = useScopeWords();
  const failed = useFailedReads();
  const shown = figures.filter(
    ({ service, figuresNeed }) => mayRead(session, service) && (!figuresNeed || may(session, figuresNeed)),
  );
  return (
    <>
      <PageTitle>{t.home}</PageTitle>
      <PageHead
        title={t.greeting(session?.name || session?.userName || "")}
        {...(session?.scope && { about: s.own(sayScope(session.scope)) })}
      />
      {failed && <Failure failure={failed.failure} onRetry={failed.retry} />}
      <WaitingList />
      {may(session, platform.readSetup) && <Setup />}
      <div className="q-home">
        {shown.map(({ service, icon, title, Figures }) => (
          <section key={service} className="q-home-service" aria-labelledby={`home-${service}`}>
            <h2 id={`home-${service}`}>
              {icon}
              {title[language]}
            </h2>
            <Figures />
          </section>
        ))}
      </div>
      {!sections.some(({ service }) => mayRead(session, service)) && (
        <Empty description={t.nothing}>
          <p className="q-soft">{t.nothingAbout}</p>
        </Empty>
      )}
    </>
  );
}

const mayRead = (session: Session | null, service: string): boolean =>
  serves(session, service) && may(session, { who: "account", service, method: "GET", scoped: true });
