import ts from 'typescript'

const printer = ts.createPrinter({ removeComments: true, omitTrailingSemicolon: true })

/** A node as text without comments and line breaks; empty for none. */
export function printed(node: ts.Node | undefined): string {
  if (!node) return ''
  return printer
    .printNode(ts.EmitHint.Unspecified, node, node.getSourceFile())
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/^\| /g, '')
}
