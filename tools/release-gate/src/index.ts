export { type Manifest, type Package, packagesIn } from './packages.ts'
export { raiseVersion, scaleBump } from './version.ts'
