import { startPage } from "#public/blocks/shell.tsx";
import { App } from "./app.tsx";
import "./tuition.css";

startPage(<App />);
