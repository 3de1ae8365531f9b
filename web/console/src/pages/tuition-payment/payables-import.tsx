import { Alert } from "antd";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { formatCount } from "#console/blocks/format.ts";
import { ImportWizard } from "#console/blocks/import/import-wizard.tsx";
import { useTexts } from "#shared/language/language.ts";
import { texts } from "#console/pages/tuition-payment/texts.ts";

/** A workbook of payables: checked, looked at, then imported as it is, all of it or nothing. */
export function PayablesImport({ onClose }: { readonly onClose: () => void }) {
  const t = useTexts(texts);
  const count = (rows: string) => formatCount(Number(rows));
  return (
    <ImportWizard
      title={t.importTitle}
      operation={tuitionPayment.importPayables}
      template={tuitionPayment.readImportTemplate}
      fields={[{ kind: "switch", name: "replace", label: t.replace, help: t.replaceHelp, off: false, on: true }]}
      preview={{
        fields: { dryRun: true },
        describe: (rows, { replace }) => (
          <Alert
            type="success"
            showIcon
            title={t.previewed(count(rows))}
            description={replace === true ? t.previewedReplace : t.previewedNew}
          />
        ),
        startText: (rows) => t.importRows(count(rows)),
      }}
      describe={(rows) => (
        <Alert type="success" showIcon title={t.imported(count(rows))} description={t.importedAbout} />
      )}
      onClose={onClose}
    >
      <p className="q-soft">{t.importAbout}</p>
    </ImportWizard>
  );
}
