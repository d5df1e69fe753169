// A reporter of node:test that writes the files in which a test failed, so that those alone are run again.
export default async function* failedFiles(source) {
  const files = new Set();
  for await (const { type, data } of source) if (type === 'test:fail' && data.file) files.add(data.file);
  for (const file of files) yield `${file}\n`;
}
