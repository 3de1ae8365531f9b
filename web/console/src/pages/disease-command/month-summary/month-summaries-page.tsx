import { diseaseCommand } from "#shared/api/disease-command.ts";
import { today } from "#console/blocks/format.ts";
import type { DataOf } from "#shared/call/operation.ts";
import { useRead } from "#console/call/use-call.ts";
import { useSummaryTexts as useTexts } from "#console/pages/disease-command/texts.ts";
import { Content, ContentField } from "#console/pages/disease-command/records/content.tsx";
import { Images, ImageUpload } from "#console/blocks/images/images.tsx";
import type { RecordField } from "#console/pages/disease-command/records/record-field.tsx";
import { RecordPage } from "#console/pages/disease-command/records/record-page.tsx";

type MonthSummary = DataOf<typeof diseaseCommand.findMonthSummary>;

// The field holds 4000 characters, enough for 100 file names of 36 characters.
const mostImages = 100;

export function MonthSummariesPage() {
  const t = useTexts();
  const fields: RecordField<MonthSummary>[] = [
    { kind: "text", name: "title", label: t.summaryTitle, required: true, max: 255, wide: true, width: 300 },
    { kind: "month", name: "month", label: t.month, help: t.monthHelp },
    { kind: "dateTime", name: "publishTime", label: t.publishTime, help: t.publishTimeHelp },
    {
      kind: "own",
      name: "images",
      label: t.images,
      wide: true,
      width: 240,
      control: <ImageUpload most={mostImages} />,
      render: ({ images }) => <Images names={images} />,
    },
    {
      kind: "own",
      name: "content",
      label: t.content,
      required: true,
      wide: true,
      listed: "never",
      control: <ContentField />,
      render: ({ content }) => <Content content={content} />,
    },
  ];
  return (
    <RecordPage<MonthSummary>
      title={t.title}
      one={t.one}
      name="month-summaries"
      what="monthSummary"
      operations={{
        list: diseaseCommand.listMonthSummaries,
        find: diseaseCommand.findMonthSummary,
        save: diseaseCommand.saveMonthSummary,
        update: diseaseCommand.updateMonthSummary,
        remove: diseaseCommand.deleteMonthSummaries,
      }}
      nameOf={({ title }) => title}
      filters={[{ kind: "month", name: "month", label: t.month }]}
      initial={{ month: useFreeMonth() }}
      fields={fields}
      formWidth={760}
      empty={{ title: t.empty, about: t.emptyAbout }}
    />
  );
}

const monthsBack = 11;

/**
 * Each month has at most one summary. Returns the current month if it has no summary, else the latest of the eleven
 * preceding months that has none, else the first following month that has none.
 */
function useFreeMonth(): string {
  // The overview is read, since it leaves out the summaries' contents, which may be megabytes.
  const { data } = useRead(diseaseCommand.readOverview, {});
  const taken = new Set(data?.eventPlanningMonthSummary.map(({ month }) => month));
  const present = today().slice(0, 7);
  const isFree = (month: string) => !taken.has(month);
  const before = Array.from({ length: monthsBack + 1 }, (_, back) => addMonths(present, -back));
  const after = Array.from({ length: taken.size + 1 }, (_, ahead) => addMonths(present, ahead + 1));
  return [...before, ...after].find(isFree) ?? present;
}

const addMonths = (month: string, count: number): string =>
  new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)) - 1 + count)).toISOString().slice(0, 7);
