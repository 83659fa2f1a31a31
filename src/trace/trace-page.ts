/** One HTML file: the page with its code, its styles and a trace, which loads nothing. */

/** The files of the built page, as text. */
export interface PageFiles {
  readonly html: string
  readonly code: string
  readonly styles: string
}

/** The names of the files in the folder of the page. */
export const pageFileNames: Readonly<Record<keyof PageFiles, string>> = {
  html: 'index.html',
  code: 'page.js',
  styles: 'page.css',
}

/** The page with the trace. `json` must have no `<`. The build has put the hashes into the HTML. */
export function tracePage({ html, code, styles }: PageFiles, json: string): string {
  const link = /<link rel="stylesheet"[^>]*integrity="([^"]+)"[^>]*>/.exec(html)
  const script = /<script type="module"[^>]*integrity="([^"]+)"[^>]*><\/script>/.exec(html)
  if (link === null || script === null) throw new Error('The page has no hashes: run npm run build.')
  const policy =
    `default-src 'none'; script-src '${script[1]}'; style-src '${link[1]}'; img-src data: blob:; ` +
    "media-src data: blob:; base-uri 'none'; form-action 'none'"
  const charset = '<meta charset="utf-8">'
  const parts = {
    [charset]: `${charset}<meta http-equiv="content-security-policy" content="${policy}">`,
    [link[0]]: `<style>${styles}</style>`,
    [script[0]]:
      `<script type="application/json" id="trace">${json}</script>\n` +
      `<script type="module">${code}</script>`,
  }
  return Object.entries(parts).reduce((text, [place, part]) => text.replace(place, () => part), html)
}
