export { type Manifest, type Package, packagesIn } from './packages.ts'
export { raised, scaled } from './version.ts'
