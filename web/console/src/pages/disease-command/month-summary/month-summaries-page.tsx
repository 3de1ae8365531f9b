import { diseaseCommand } from "#console/api/disease-command.ts";
import { today } from "#console/blocks/format.ts";
import type { DataOf } from "#console/call/operation.ts";
import { useTexts } from "#console/language/language.ts";
import { texts } from "#console/pages/disease-command/month-summary/texts.ts";
import { Content, ContentField } from "#console/pages/disease-command/records/content.tsx";
import { Images, ImageUpload } from "#console/pages/disease-command/records/images.tsx";
import type { RecordField } from "#console/pages/disease-command/records/record-field.tsx";
import { RecordPage } from "#console/pages/disease-command/records/record-page.tsx";

type MonthSummary = DataOf<typeof diseaseCommand.findMonthSummary>;

// 100 names of 36 characters fit into the 4000 of the field.
const mostImages = 100;

/** What was done in each month, with its pictures. */
export function MonthSummariesPage() {
  const t = useTexts(texts);
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
      operations={{
        list: diseaseCommand.listMonthSummaries,
        find: diseaseCommand.findMonthSummary,
        save: diseaseCommand.saveMonthSummary,
        update: diseaseCommand.updateMonthSummary,
        remove: diseaseCommand.deleteMonthSummaries,
      }}
      nameOf={({ title }) => title}
      filters={[{ kind: "month", name: "month", label: t.month }]}
      initial={{ month: today().slice(0, 7) }}
      fields={fields}
      formWidth={760}
      empty={{ title: t.empty, about: t.emptyAbout }}
    />
  );
}
