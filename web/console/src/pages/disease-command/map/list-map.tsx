import { useOpened } from "#console/blocks/list-page/address.ts";
import { usePrinting } from "#console/printing.ts";
import { DiseaseMap } from "#console/pages/disease-command/map/disease-map.tsx";
import type { Mark } from "#shared/map/city-map.tsx";

interface ListMapProps {
  readonly label: string;
  readonly marks: readonly Mark[];
}

/** The map beside a list: a mark opens its record, as its row does. */
export function ListMap({ label, marks }: ListMapProps) {
  const [opened, open] = useOpened();
  const isPrinting = usePrinting();
  // Paper has the list.
  if (isPrinting) return null;
  return (
    <DiseaseMap
      size="list"
      label={label}
      marks={marks}
      onOpen={open}
      {...(opened !== undefined && { chosen: Number(opened) })}
    />
  );
}
