import ts from 'typescript'

const printer = ts.createPrinter({ removeComments: true, omitTrailingSemicolon: true })

/** Returns a node as text without comments and line breaks. Empty for undefined. */
export function printed(node: ts.Node | undefined): string {
  if (!node) return ''
  return printer
    .printNode(ts.EmitHint.Unspecified, node, node.getSourceFile())
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/^\| /g, '')
}
