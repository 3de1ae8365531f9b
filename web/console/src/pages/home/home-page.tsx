import { Empty } from "antd";
import type { ComponentType } from "react";
import { Failure } from "#console/blocks/failure.tsx";
import { PageHead } from "#console/blocks/page-head.tsx";
import { useFailedReads } from "#console/call/use-call.ts";
import { useLanguage, useTexts } from "#console/language/language.ts";
import { AttendanceFigures } from "#console/pages/home/attendance-figures.tsx";
import { DiseaseFigures } from "#console/pages/home/disease-figures.tsx";
import { PlatformFigures } from "#console/pages/home/platform-figures.tsx";
import { PushRelayFigures } from "#console/pages/home/push-relay-figures.tsx";
import { ReportingFigures } from "#console/pages/home/reporting-figures.tsx";
import { TuitionFigures } from "#console/pages/home/tuition-figures.tsx";
import { texts } from "#console/pages/home/texts.ts";
import { sections } from "#console/sections.ts";
import { place } from "#console/place.ts";
import { serves, type Session, useSession } from "#console/session/session.ts";

// In the order of the menu. A service's figures are a component that reads what it needs and shows StatCards.
const figures: readonly { readonly service: Session["service"]; readonly Figures: ComponentType }[] = [
  { service: "reporting", Figures: ReportingFigures },
  { service: "attendance", Figures: AttendanceFigures },
  { service: "push-relay", Figures: PushRelayFigures },
  { service: "tuition-payment", Figures: TuitionFigures },
  { service: "disease-command", Figures: DiseaseFigures },
  { service: "platform", Figures: PlatformFigures },
];

const isServed = (service: Session["service"]): boolean =>
  service === "platform" || place.services.some((name) => name === service);

/** Each service at a glance; every figure leads to its list. */
export function HomePage() {
  const t = useTexts(texts);
  const [language] = useLanguage();
  const session = useSession();
  const failed = useFailedReads();
  const shown = figures.filter(({ service }) => isServed(service) && serves(session, service));
  return (
    <>
      <title>{`${t.home} · Quintet`}</title>
      <PageHead title={t.greeting(session?.name || session?.userName || "")} />
      {failed && <Failure failure={failed.failure} onRetry={failed.retry} />}
      <div className="q-home">
        {shown.map(({ service, Figures }) => {
          const section = sections.find((one) => one.service === service);
          return (
            <section key={service} className="q-home-service" aria-labelledby={`home-${service}`}>
              <h2 id={`home-${service}`}>
                {section?.icon}
                {section?.title[language]}
              </h2>
              <Figures />
            </section>
          );
        })}
      </div>
      {shown.length === 0 && (
        <Empty description={t.nothing}>
          <p className="q-soft">{t.nothingAbout}</p>
        </Empty>
      )}
    </>
  );
}
