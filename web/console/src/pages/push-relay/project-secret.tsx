import { Alert, Button, Space } from "antd";
import { pushRelay } from "#shared/api/push-relay.ts";
import { CopyText } from "#console/blocks/copy-text.tsx";
import { useConfirm } from "#console/blocks/use-confirm.ts";
import { useChange } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import type { Project } from "#console/pages/push-relay/project.ts";
import { texts } from "#console/pages/push-relay/texts.ts";
import { useMay } from "#console/session/session.ts";

/** The secret that signs what a project is sent: shown when somebody asks for it, and changed. */
export function ProjectSecret({ project: { id } }: { readonly project: Project }) {
  const t = useTexts(texts);
  const may = useMay();
  const confirm = useConfirm();
  const read = useChange(pushRelay.readSecret);
  const rotate = useChange(pushRelay.rotateSecret);
  const secret = rotate.data?.secret ?? read.data?.secret;
  const ask = () =>
    confirm({
      title: t.rotateTitle,
      needs: pushRelay.rotateSecret,
      about: t.rotateAbout,
      verb: t.rotate,
      work: () => rotate.mutateAsync({ query: { id } }),
    });
  return (
    <section className="q-push-part" aria-label={t.secret}>
      <h3>{t.secret}</h3>
      <p className="q-soft">
        {t.secretAbout} {t.secretAudit}
      </p>
      {rotate.data && <Alert type="success" showIcon title={t.rotated} className="q-form-failure" />}
      <Space wrap>
        {secret !== undefined && <CopyText text={secret} label={t.secret} />}
        {secret === undefined && may(pushRelay.readSecret) && (
          <Button loading={read.isPending} onClick={() => read.mutate({ query: { id } })}>
            {t.showSecret}
          </Button>
        )}
        {may(pushRelay.rotateSecret) && <Button onClick={ask}>{t.rotate}</Button>}
      </Space>
    </section>
  );
}
