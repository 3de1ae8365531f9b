import { startPage } from "#public/blocks/shell.tsx";
import { ClinicPage } from "#public/clinic/clinic-page.tsx";

startPage(<ClinicPage />);
