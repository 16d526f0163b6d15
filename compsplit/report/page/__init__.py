"""A report as one self-contained page."""

from compsplit.report.page.given import Given, read_given
from compsplit.report.page.making import Page, page_of
from compsplit.report.page.writing import check_page_out, page_place, write_page

__all__ = ["Given", "Page", "check_page_out", "page_of", "page_place", "read_given", "write_page"]
