import { startPage } from "#public/blocks/shell.tsx";
import { ReceiverPage } from "#public/receiver/receiver-page.tsx";

startPage(<ReceiverPage />);
