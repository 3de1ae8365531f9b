import { useQueries } from "@tanstack/react-query";
import { AutoComplete, Button, Modal, type RefSelectProps } from "antd";
import { useRef, useState } from "react";
import { useNavigate } from "react-router";
import { joinWords } from "#console/blocks/format.ts";
import { usePause } from "#console/call/use-pause.ts";
import { useTexts } from "#console/shell/finder/texts.ts";
import { pages } from "#console/pages.ts";
import { sections } from "#console/sections.ts";
import { mayOpen, useSession } from "#console/session/session.ts";
import { includes } from "#console/shell/find.ts";
import { useLanguage } from "#shared/language/language.ts";

/** An action that is available on every page, such as signing out. */
export interface Action {
  readonly label: string;
  readonly run: () => void;
}

interface FinderProps {
  readonly actions: readonly Action[];
  readonly onClose: () => void;
}

interface Result {
  readonly label: string;
  readonly about?: string;
  readonly go: () => void;
}

interface Group {
  readonly title: string;
  readonly results: readonly Result[];
}

const findables = (
  await Promise.all(sections.map(async ({ loadFindables }) => (await loadFindables?.()) ?? []))
).flat();

/**
 * Finds records, pages and actions that the account may see. The typed text never becomes part of the console's
 * address.
 */
export function Finder({ actions, onClose }: FinderProps) {
  const t = useTexts();
  const field = useRef<RefSelectProps>(null);
  const [typed, setTyped] = useState("");
  const text = typed.trim();
  const records = useRecords(text);
  const places = usePlaces(text);
  const all: readonly Group[] = [
    ...places,
    {
      title: t.actions,
      results: actions.filter(({ label }) => includes(label, text)).map(({ label, run }) => ({ label, go: run })),
    },
    ...records.groups,
  ];
  const groups = all.filter(({ results }) => results.length > 0);
  const note = isCard(text)
    ? t.cards
    : text.length < fewest
      ? t.more
      : records.isLoading
        ? t.finding
        : groups.length === 0
          ? t.nothing
          : t.keys;
  return (
    <Modal
      open
      title={t.find}
      width={640}
      footer={null}
      className="q-finder"
      // The dialog opens without animation, so that the field has the focus before the next letter is typed.
      transitionName=""
      maskTransitionName=""
      afterOpenChange={() => field.current?.focus()}
      onCancel={onClose}
    >
      <p className="q-soft" role="status">
        {note}
      </p>
      {records.failed && (
        <p role="alert">
          {t.failed(records.failed.what, records.failed.why)}{" "}
          <Button size="small" onClick={records.failed.retry}>
            {t.retry}
          </Button>
        </p>
      )}
      <AutoComplete
        ref={field}
        open
        className="q-finder-field"
        aria-label={t.find}
        placeholder={t.hint}
        value={typed}
        showSearch={{ filterOption: false }}
        defaultActiveFirstOption
        listHeight={400}
        // The options are not grouped, since Ant Design exposes group headings to screen readers as options.
        options={groups.flatMap(({ title, results }) =>
          results.map(({ label, about, go }, index) => ({
            value: `${label} ${title} ${index + 1}`,
            go,
            label: (
              <span className="q-finder-line">
                <span>{label}</span>
                <span className="q-soft q-cut">{about}</span>
                <span className="q-soft">{title}</span>
              </span>
            ),
          })),
        )}
        notFoundContent={null}
        onChange={(next: string) => setTyped(next)}
        onSelect={(_, option) => {
          onClose();
          (option as unknown as Result).go();
        }}
        onKeyDown={({ key, nativeEvent }) => key === "Escape" && !nativeEvent.isComposing && onClose()}
      />
    </Modal>
  );
}

const fewest = 2;
const cardPattern = /^\d{6}(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dX]$/i;

/** Identity card numbers are not searched for, since the URL of the request would contain the number. */
const isCard = (text: string): boolean => cardPattern.test(text.replaceAll(/\s/g, ""));

function usePlaces(text: string): readonly Group[] {
  const t = useTexts();
  const [language] = useLanguage();
  const session = useSession();
  const navigate = useNavigate();
  const results = sections.flatMap((section) =>
    (pages[section.service] ?? [])
      .filter(
        ({ hidden, needs, title }) =>
          !hidden &&
          mayOpen(session, needs) &&
          includes(`${title.zh} ${title.en} ${section.title.zh} ${section.title.en}`, text),
      )
      .map(({ path, title }) => ({
        label: title[language],
        about: section.title[language],
        go: () => void navigate(`/${section.service}/${path}`),
      })),
  );
  return [{ title: t.pages, results }];
}

function useRecords(text: string) {
  const [language] = useLanguage();
  const session = useSession();
  const navigate = useNavigate();
  const paused = usePause(text);
  const isAsked = paused === text && text.length >= fewest && !isCard(text);
  const asked = findables.filter(({ needs }) => mayOpen(session, needs));
  const reads = useQueries({
    queries: asked.map(({ what, find, needs: { service } }) => ({
      queryKey: [service, "find", what.en, text],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => find(text, { signal }),
      enabled: isAsked,
    })),
  });
  const groups: Group[] = asked.map(({ what }, index) => ({
    title: what[language],
    results: (reads[index]?.data ?? []).map(({ label, about, to }) => ({ label, about, go: () => void navigate(to) })),
  }));
  const failures = reads.filter(({ isError }) => isError);
  return {
    groups: isAsked ? groups : [],
    isLoading: paused !== text || reads.some(({ isLoading }) => isLoading),
    failed:
      isAsked && failures[0]
        ? {
            what: joinWords(asked.filter((_, index) => reads[index]?.isError).map(({ what }) => what[language])),
            why: failures[0].error?.message ?? "",
            retry: () => failures.forEach(({ refetch }) => void refetch()),
          }
        : undefined,
  };
}
