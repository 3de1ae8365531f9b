import { Button, Card, Form, Skeleton } from "antd";
import { Failure } from "#console/blocks/failure.tsx";
import { type Field, FormField } from "#console/blocks/fields.tsx";
import { useFormCall } from "#console/blocks/use-form-call.tsx";
import { useChange, useRead } from "#console/call/use-call.ts";
import { useTexts } from "#console/session/own-contact-texts.ts";
import { platform } from "#shared/api/platform.ts";
import type { DataOf } from "#shared/call/operation.ts";

type Contact = DataOf<typeof platform.readOwnContact>;

export function OwnContact() {
  const t = useTexts();
  const { data, error, refetch } = useRead(platform.readOwnContact, {});
  return (
    <Card title={t.title}>
      {error && <Failure failure={error} onRetry={refetch} />}
      {data ? <ContactForm contact={data} /> : !error && <Skeleton active />}
    </Card>
  );
}

function ContactForm({ contact }: { readonly contact: Contact }) {
  const t = useTexts();
  const [form] = Form.useForm<Contact>();
  const change = useChange(platform.changeOwnContact, { done: t.saved, quiet: true });
  const { submit, busy, failure } = useFormCall<Contact>(form, (body) => change.mutateAsync({ body }));
  const fields: readonly Field[] = [
    { name: "told", label: t.told, kind: "switch", off: false, on: true },
    { name: "mail", label: t.mail, kind: "text", max: 254 },
    { name: "userId", label: t.userId, kind: "text", max: 64, help: t.userIdHelp },
    { name: "phone", label: t.phone, kind: "text", max: 20 },
  ];
  return (
    <Form name="own-contact" form={form} layout="vertical" initialValues={contact} onFinish={submit}>
      <p className="q-soft">{t.about}</p>
      {failure}
      {fields.map((field) => (
        <FormField key={field.name} field={field} />
      ))}
      <Button type="primary" htmlType="submit" loading={busy}>
        {t.save}
      </Button>
    </Form>
  );
}
