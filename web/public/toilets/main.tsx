import { startPage } from "#public/blocks/shell.tsx";
import { ToiletsPage } from "#public/toilets/toilets-page.tsx";

startPage(<ToiletsPage />);
