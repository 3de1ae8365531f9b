import { type ReactNode, useEffect, useState } from "react";
import { ImportDialog } from "#console/pages/attendance/import/import-dialog.tsx";

interface Import {
  readonly open: () => void;
  readonly isOpen: boolean;
  /** The dialog, to be put at the end of the page. */
  readonly dialog: ReactNode;
}

/** The import of a page: opened by a button, or by files that are dropped anywhere on it. */
export function useImport(month?: string): Import {
  const [files, setFiles] = useState<readonly File[]>();
  const isOpen = files !== undefined;
  useEffect(() => {
    // Without this the browser would leave the console and open the file.
    const allow = (event: DragEvent) => event.preventDefault();
    const take = (event: DragEvent) => {
      event.preventDefault();
      const dropped = [...(event.dataTransfer?.files ?? [])];
      // The dialog has a place of its own for them.
      if (!isOpen && dropped.length > 0) setFiles(dropped);
    };
    window.addEventListener("dragover", allow);
    window.addEventListener("drop", take);
    return () => {
      window.removeEventListener("dragover", allow);
      window.removeEventListener("drop", take);
    };
  }, [isOpen]);
  return {
    open: () => setFiles([]),
    isOpen,
    dialog: files && (
      <ImportDialog {...(month !== undefined && { month })} dropped={files} onClose={() => setFiles(undefined)} />
    ),
  };
}
