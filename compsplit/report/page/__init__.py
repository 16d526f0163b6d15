"""A report as one self-contained page."""

from compsplit.report.page.given import Given, read_given
from compsplit.report.page.making import Page, page_of
from compsplit.report.page.writing import page_place, write_page

__all__ = ["Given", "Page", "page_of", "page_place", "read_given", "write_page"]
