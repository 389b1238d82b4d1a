"""What differs between releases: one adapter a family, behind one small interface."""
